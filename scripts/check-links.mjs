// Checks every relative link of the Markdown pages: the file exists, and the heading that an anchor names. Checks what
// sources cite too: pages and decisions of this repository, and nothing outside it.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const ROOT_PAGES = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md'];
const PAGES = [...ROOT_PAGES, ...['bench', 'docs', 'examples', 'packages'].flatMap(pagesIn)];

function pagesIn(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
    .map((name) => join(folder, name));
}

const withoutCode = (text) =>
  text.replace(/^( *)```[^]*?^\1```/gm, '').replace(/`[^`\n]*`/g, (code) => code.replace(/[[\]]/g, ''));

/** GitHub's rule: lower case, punctuation dropped, each space a hyphen. */
const anchorOf = (heading) =>
  heading
    .replace(/\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');

const anchors = new Map();
function anchorsOf(page) {
  if (!anchors.has(page)) {
    const headings = readFileSync(page, 'utf8')
      .replace(/^( *)```[^]*?^\1```/gm, '')
      .matchAll(/^#+ (.+)$/gm);
    anchors.set(page, new Set([...headings].map(([, heading]) => anchorOf(heading))));
  }
  return anchors.get(page);
}

function problemOf(page, target) {
  if (/^[a-z]+:/.test(target)) return null;
  const [path, anchor] = target.split('#');
  const file = path === '' ? page : normalize(join(dirname(page), path));
  if (!existsSync(file)) return 'no such file';
  if (anchor === undefined || statSync(file).isDirectory()) return null;
  return anchorsOf(file).has(anchor) ? null : 'no such heading';
}

let checked = 0;
const linked = new Set();
for (const page of PAGES) {
  for (const [, target] of withoutCode(readFileSync(page, 'utf8')).matchAll(/\]\(([^)\s]+)\)/g)) {
    checked += 1;
    linked.add(normalize(join(dirname(page), target.split('#')[0])));
    const problem = problemOf(page, target);
    if (problem === null) continue;
    console.error(`${page}: ${target}: ${problem}`);
    process.exitCode = 1;
  }
}
for (const page of PAGES.filter((each) => each.startsWith('docs/') && !linked.has(each))) {
  console.error(`${page}: no page leads to it`);
  process.exitCode = 1;
}

const SOURCES = execFileSync('git', ['ls-files', '*.ts', '*.mjs', '*.cjs', '*.js', '*.svelte', '*.sh', '*.yaml'], {
  encoding: 'utf8',
  maxBuffer: 64 << 20,
})
  .trim()
  .split('\n')
  .filter((file) => existsSync(file));
/** A page by its path from the root, or one at the root by its name in capitals. */
const CITED_PAGE = /(?<![\w./'"-])(?:(?:docs|bench|examples|packages)\/[\w./-]+|[A-Z]{3,})\.md\b/g;
const CITED_DECISION = /\bADR-(\d{4})\b/g;
/** A document by its number stands nowhere in this repository. */
const NUMBERED = /\bspecs? \d{3}\b/gi;
const DECISIONS = readdirSync('docs/adr');

function citationsOf(text) {
  const pages = [...text.matchAll(CITED_PAGE)].map(([page]) => [page, existsSync(page)]);
  const decisions = [...text.matchAll(CITED_DECISION)].map(([name, number]) => [
    name,
    DECISIONS.some((file) => file.startsWith(`${number}-`)),
  ]);
  const numbered = [...text.matchAll(NUMBERED)].map(([name]) => [name, false]);
  return [...pages, ...decisions, ...numbered];
}

let cited = 0;
for (const file of [...SOURCES, ...PAGES]) {
  for (const [name, isHere] of citationsOf(readFileSync(file, 'utf8'))) {
    cited += 1;
    if (isHere) continue;
    console.error(`${file}: cites ${name}, which is not in this repository`);
    process.exitCode = 1;
  }
}
console.log(`${checked} links of ${PAGES.length} pages, ${cited} citations`);
