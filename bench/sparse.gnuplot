# Plots the results of bench/sparse, as figures 2 to 4 of Hofmann and Ruenger. Reads length.csv, gain.csv, share.csv,
# structure.csv and fem.csv of a directory and writes gain.svg, share.svg, sent.svg, structure.svg and fem.svg
# there; `bench/sparse plot` calls it.
set datafile separator ','
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
set key below
set multiplot layout 2,2 title 'Reduce of few elements that are not zero: seconds by how many are'
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
set multiplot layout 1,3 title 'What each rank of a chain sends: messages grow towards the root'
do for [p in '8 32 128'] {
    set title p.' ranks, '.(p > 8 ? 'SimGrid' : 'emulated')
    set xrange [0:p]
    step = int((p + 31) / 32)
    plot for [share in '0.1 1 10 50'] \
        rows('^differ,'.p.','.share.',.*,on,', 'share').' | cut -d, -f14 | tr " " "\n" | tail -n +2' \
        every step using ($0 * step + 1):($1 / 1e6) with linespoints title share.' %'
}
unset multiplot

set terminal svg size 1300,420 font 'sans,13' background '#ffffff' noenhanced
set output directory.'/fem.svg'
set autoscale
set key below
set yrange [0:]
set xlabel 'refinement step'
set ylabel 'MB/s at the root'
set multiplot layout 1,3 title 'Finite elements: compressing pays once the mesh is refined'
do for [p in '12 32 128'] {
    set title p.' ranks, '.(p > 12 ? 'SimGrid' : 'emulated').', finite elements'
    plot for [name in 'native off on'.(p > 12 ? '' : ' auto')] rows('^fem,'.p.',.*,'.name.',', 'fem') \
        using ($0 + 1):($4 / $7 / 1e6) with linespoints title name
}
unset multiplot

# columns of allfold bench by their names
named = "awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { gsub(/\"/, \"\"); "
emulations = system(named."print $at[\"p\"] }' ".directory."/length.csv | sort -gu | tr '\\n' ' '")
# figure 2: ranks, bytes, algorithm and seconds, of both; and of each length the best chain
emulated = named."print $at[\"p\"] \",\" $at[\"bytes\"] \",\" $at[\"algorithm\"] \",\" $at[\"median_us\"] / 1e6 }' ".directory."/length.csv"
simulated = 'cat '.directory.'/gain.csv'
best(p, source) = "< ".source." | awk -F, '$1 == ".p." && $3 == \"native\" { native[$2] = $4; next } \
    $1 == ".p." && (!($2 in least) || $4 < least[$2]) { least[$2] = $4; gsub(/[^0-9]/, \"\", $3); segment[$2] = $3 } \
    END { for (i in least) print i \",\" native[i] / least[i] \",\" segment[i] }' | sort -g"
set terminal svg size 1100,420 font 'sans,13' background '#ffffff' noenhanced
set output directory.'/gain.svg'
unset title
set autoscale
set logscale x 2
set format x '%.0b%B'
set xtics 16
set key below
set xlabel 'bytes'
set multiplot layout 1,2 title 'Reduce by a chain in segments, against the MPI library'
set ylabel 'times as fast as native'
plot for [p in '4 8 32 128'] best(p, simulated) using 1:2 with linespoints title p.' ranks, SimGrid', \
     for [i = 1:words(emulations)] best(word(emulations, i), emulated) using 1:2 \
         with points pointtype 2 * i + 2 linecolor rgb '#333333' title word(emulations, i).' ranks, emulated', \
     1 notitle linecolor 'black'
set ylabel 'best segment, KiB'
set logscale y 2
set yrange [4:256]
set xrange [2**14:] # shorter ones are one segment
plot for [p in '4 8 32 128'] best(p, simulated) using 1:3 with linespoints title p.' ranks, SimGrid'
unset multiplot

set terminal svg size 1100,520 font 'sans,13' background '#ffffff' noenhanced
set output directory.'/structure.svg'
unset logscale
unset grid
unset key
set border 15
set format x '%g'
set autoscale
corners(rank) = "< awk -F, '$1 == \"triangle\" && $2 == ".rank." \
    { print $3 \",\" $4 \"\\n\" $5 \",\" $6 \"\\n\" $7 \",\" $8 \"\\n\" $3 \",\" $4 \"\\n\" }' ".directory."/structure.csv"
set multiplot layout 1,2
set size ratio 1
unset xlabel
unset ylabel
set xtics 0.5
set ytics 0.5
set title 'triangles, each rank a colour'
plot for [rank = 0:11] corners(rank) with lines linecolor rank + 1
set size noratio
set xtics autofreq
set autoscale xfix
set ytics 1
set xlabel 'element of the vector'
set ylabel 'rank'
set yrange [-1:12]
set title 'elements that are not zero'
plot rows('^element,', 'structure') using 3:2 with points pointtype 7 pointsize 0.2 linecolor 'black'
unset multiplot
