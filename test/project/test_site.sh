#!/bin/bash
# scripts/site: every page is made, every link leads somewhere, nothing comes from elsewhere, and searching needs no
# server. Usage: test_site.sh BUILD_DIRECTORY SOURCE_DIRECTORY
set -u
build=$1 source=$2
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
for tool in cmark-gfm mandoc; do
    command -v $tool >/dev/null || skip_all "the site ($tool is not there)"
done
site=$scratch/site
expect "the site is made" "$source/scripts/site" "$site" "$build"
expect "it can be made again" "$source/scripts/site" "$site" "$build"
pages=$(cd "$source" && ls README.md DESIGN.md CHANGELOG.md docs/*.md docs/*/*.md man/*.[1-9] | wc -l)
made=$(find "$site" -name '*.html' -not -path '*/steps/*' | wc -l)
expect "$made pages are made of $pages and some" [ "$made" -gt "$pages" ]
expect "each algorithm has a page to step through" \
    [ "$(find "$site/steps" -name '*.html' | wc -l)" = "$(ls "$source"/docs/pictures/*.*.svg | grep -vc rooms)" ]
expect "nothing comes from elsewhere" \
    [ -z "$(grep -rlE '(src|href)="https?://[^"]*\.(js|css|svg|png)' "$site")" ]
cat >"$scratch/links.py" <<'END'
import html, os, re, sys
top, dead = sys.argv[1], []
glossary = open(os.path.join(top, "docs/glossary.html"), encoding="utf-8").read()
for folder, _, files in os.walk(top):
    for name in files:
        if not name.endswith(".html"):
            continue
        path = os.path.join(folder, name)
        text = re.sub(r"<script>.*?</script>", "", open(path, encoding="utf-8").read(), flags=re.S)
        for target in re.findall(r'(?:href|src|action)="([^"]*)"', text):
            target = html.unescape(target)
            if re.match(r"[a-z]+:", target) or target.startswith("url("):
                continue
            file, _, anchor = target.partition("#")
            if anchor and file.endswith("glossary.html") and f'id="{anchor}"' not in glossary:
                dead.append((os.path.relpath(path, top), target))
            if file and not os.path.isfile(os.path.normpath(os.path.join(folder, file))):
                dead.append((os.path.relpath(path, top), target))
print(dead)
sys.exit(bool(dead))
END
expect "no link is dead" python3 "$scratch/links.py" "$site"
expect "the glossary's words are linked once a page" \
    [ "$(grep -o 'glossary.html#native"' "$site/docs/guide.html" | wc -l)" = 1 ]
expect "the index knows where a word is" grep -q '"title": "When to use it"' "$site/search-index.js"

# what is refused
mkdir "$scratch/mine"
touch "$scratch/mine/file"
run "$source/scripts/site" "$scratch/mine"
expect "a folder of somebody's is kept" [ "$status" = 1 -a -e "$scratch/mine/file" ]
mkdir "$scratch/copy"
(cd "$source" && cp -r scripts docs man bench examples ./*.md "$scratch/copy")
echo 'See [this](nowhere.md) and [that](guide.md#nothing).' >>"$scratch/copy/docs/tables.md"
run "$scratch/copy/scripts/site" "$scratch/other"
expect "a dead link is refused" [ "$status" = 1 ]
expect "with its page" grep -q 'docs/tables.md links to nowhere.md, which is not there' "$scratch/err"
expect "and a part that is not there" grep -q 'docs/tables.md links to guide.html#nothing' "$scratch/err"
finish
