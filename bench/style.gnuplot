# The common style of all plots: colors for color-blind readers (Okabe and Ito), no frame on two sides, a light grid.
# scripts/plot loads it before a plot's own script.
set encoding utf8
set linetype 1 linecolor rgb '#0072b2' linewidth 1.6 pointtype 7 pointsize 0.5
set linetype 2 linecolor rgb '#d55e00' linewidth 1.6 pointtype 5 pointsize 0.5
set linetype 3 linecolor rgb '#009e73' linewidth 1.6 pointtype 9 pointsize 0.6
set linetype 4 linecolor rgb '#cc79a7' linewidth 1.6 pointtype 11 pointsize 0.6
set linetype 5 linecolor rgb '#e69f00' linewidth 1.6 pointtype 13 pointsize 0.7
set linetype 6 linecolor rgb '#56b4e9' linewidth 1.6 pointtype 4 pointsize 0.6
set linetype 7 linecolor rgb '#555555' linewidth 1.6 pointtype 6 pointsize 0.6
set linetype 8 linecolor rgb '#b8860b' linewidth 1.6 pointtype 8 pointsize 0.6
set linetype cycle 8
set border 3
set tics nomirror
set grid linecolor rgb '#d0d0d0' linewidth 0.5
