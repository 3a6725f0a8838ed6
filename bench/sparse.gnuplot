# What bench/sparse measured, as figures 3 and 4 of Hofmann and Ruenger. Reads share.csv and fem.csv of a
# directory and writes share.svg, sent.svg and fem.svg there; bench/sparse plot calls it.
set datafile separator ','
set grid
set key top left
rows(pattern, file) = sprintf("< grep -E '%s' %s/%s.csv", pattern, directory, file)
# what does not depend on the data, as a line; and in the order of shares
across = " | awk -F, '{ print 0.1 \",\" $7; print 100 \",\" $7 }'"
sorted = ' | sort -t, -k3g'

set terminal svg size 1300,820 font 'sans,13' background '#ffffff' noenhanced
set output directory.'/share.svg'
set logscale xy
set xlabel 'elements that are not zero, percent'
set ylabel 'seconds'
set yrange [0.01:20]
set key bottom right
set multiplot layout 2,2
do for [p in '4 8 32 128'] {
    set title p.' ranks, '.(p > 8 ? 'SimGrid' : 'emulated')
    plot for [name in 'native off'] rows('^differ,'.p.',100,.*,'.name.',', 'share').across \
             using 1:2 with lines title name, \
         for [kind in 'same differ'] rows('^('.kind.','.p.'|differ,'.p.',100),.*,on,', 'share').sorted \
             using 3:7 with linespoints title 'on, places '.kind
}
unset multiplot

unset logscale
set key outside right
set terminal svg size 1300,400 font 'sans,13' background '#ffffff' noenhanced
set output directory.'/sent.svg'
set xlabel 'place in the chain, from the rank that sends first'
set ylabel 'MB sent'
set yrange [0:18]
set multiplot layout 1,3
do for [p in '8 32 128'] {
    set title p.' ranks, '.(p > 8 ? 'SimGrid' : 'emulated')
    set xrange [0:p]
    step = int((p + 31) / 32)
    plot for [share in '0.1 1 10 50'] \
        rows('^differ,'.p.','.share.',.*,on,', 'share').' | cut -d, -f14 | tr " " "\n" | tail -n +2' \
        every step using ($0 * step + 1):($1 / 1e6) with linespoints title share.' %'
}
unset multiplot

set terminal svg size 900,420 font 'sans,13' background '#ffffff' noenhanced
set output directory.'/fem.svg'
set title '12 ranks, emulated, finite elements'
set autoscale
set key inside top left
set yrange [0:]
set xlabel 'refinement step'
set ylabel 'MB/s at the root'
plot for [name in 'native off on auto'] rows('^fem,.*,'.name.',', 'fem') \
    using ($0 + 1):($4 / $7 / 1e6) with linespoints title name
