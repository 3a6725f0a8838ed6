# Plots the results of bench_rle --csv, as Fig. 1 of Hofmann and Ruenger. Usage:
#     build/bin/bench_rle --csv >rle.csv
#     scripts/plot rle.svg -- -e "csv='rle.csv'; out='rle.svg'" bench/rle.gnuplot
set terminal svg size 1200,520 font 'sans,13' background '#ffffff' noenhanced
set output out
set datafile separator ','
set key below
set logscale x
set xlabel 'elements that are not zero, percent'
set ylabel 'GB/s of one vector'
set multiplot layout 1,2
set title 'Compressing is as fast as copying where little is not zero'
set yrange [0:35]
plot for [name in 'encode encode_values decode'] csv using 'percent':name \
         with linespoints title name, \
     '' using 'percent':'memcpy' with lines linecolor 'black' title 'memcpy'
set title 'Adding compressed vectors (C) pays where most is zero'
plot for [name in 'aC+b->cC aC+b->aC aC+b->c aC+bC->cC'] csv using 'percent':name \
         with linespoints title name, \
     '' using 'percent':'a+b->c' with lines linecolor 'black' title 'a+b->c', \
     '' using 'percent':'a+b->a' with lines linecolor 'black' dashtype 2 title 'a+b->a'
unset multiplot
