#!/bin/bash
# The report's page in headless Chromium: what a reader sees, hears, prints and holds in a hand.
# Usage: test_page.sh TEST_LATENESS
set -u
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
[ -n "$chromium" ] || skip_all "there is no chromium to open the page with"

"$1" page "$scratch/page.html" || exit 1
run python3 "$(dirname "$0")/page.py" "$chromium" "$scratch/page.html" "$scratch"
expect "the browser opens the page" [ "$status" = 0 ]
head='page = json.loads(text)
def named(role): return [node for node in page["tree"] if node[0] == role]
'
python "the page of 1024 ranks is small, and asks for no other file" "$head
assert page['bytes'] < 2000000 and page['requests'] == 0"
sed -E 's/^.("seconds": [0-9.]+, "bytes": [0-9]+).*/opened: \1/' "$scratch/out"; echo
python "each picture has a name and says what it shows" "$head
names = {node[1]: node[2] for node in named('image')}
assert set(names) == {'Heat map: lateness by node and time', 'Timeline of the worst calls'}, names
assert all('Latest of all' in text or 'was last' in text for text in names.values()), names"
python "each picture has a table beside it, and its part a heading" "$head
assert len(named('DisclosureTriangle')) == 2
assert {'When ranks were late', 'The worst calls'} <= {node[1] for node in named('heading')}"
python "pictures have their colors, on light and on dark ground" "$head
for scheme, ground, ink in ('light', '255,255,255', '213,94,0'), ('dark', '22,24,28', '240,145,74'):
    for colors in page[scheme]:
        assert ground in colors and ink in colors, (scheme, colors)"
python "on a phone the page is no wider than the screen, and it can be printed" "$head
assert page['phone'] <= 375 and page['paper'] > 10000"

finish
