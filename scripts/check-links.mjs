// Checks every relative link of the Markdown pages: the file exists, and the heading that an anchor names.
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
for (const page of PAGES) {
  for (const [, target] of withoutCode(readFileSync(page, 'utf8')).matchAll(/\]\(([^)\s]+)\)/g)) {
    checked += 1;
    const problem = problemOf(page, target);
    if (problem === null) continue;
    console.error(`${page}: ${target}: ${problem}`);
    process.exitCode = 1;
  }
}
console.log(`${checked} links of ${PAGES.length} pages`);
