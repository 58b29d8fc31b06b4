import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { Marked, type Tokens } from 'marked';
import type { Plugin } from 'vite';

const DOCS = join(import.meta.dirname, '../docs');
/** Folders of `docs/` whose pages the web UI shows. The address of a page of the guide has no folder. */
const FOLDERS = ['guide', 'reference'];
const INDEX = 'virtual:help';
const PAGE = 'virtual:help/';

/** `guide/limits.md` is `limits`, `reference/limits.md` is `reference/limits`. */
const slugOf = (path: string): string => path.replace(/^guide\//, '').replace(/\.md$/, '');
const pathOf = (slug: string): string => (slug.includes('/') ? `${slug}.md` : `guide/${slug}.md`);
const pages = (): string[] =>
  FOLDERS.flatMap((folder) => readdirSync(join(DOCS, folder)).map((name) => `${folder}/${name}`)).filter((path) =>
    path.endsWith('.md'),
  );
const titleOf = (text: string): string => /^# (.+)$/m.exec(text)?.[1] ?? '';

/** The id of a heading, made as GitHub makes it: links between pages use it. */
const idOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');

interface Rendered {
  readonly html: string;
  /** Pictures of the page, absolute paths, in the order of their marks `%picture-0%`. */
  readonly pictures: readonly string[];
}

/** The HTML of a page, its title left out. Links to files that the UI does not show become plain text. */
function render(path: string): Rendered {
  const from = dirname(join(DOCS, path));
  const pictures: string[] = [];
  const marked = new Marked();
  marked.use({
    renderer: {
      heading({ tokens, depth, text }) {
        return `<h${depth} id="${idOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>`;
      },
      // A box that scrolls can be reached by keyboard.
      code: ({ text }) =>
        `<pre tabindex="0"><code>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</code></pre>`,
      table(token) {
        const rows = (cells: Tokens.TableCell[], tag: string): string =>
          `<tr>${cells.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('')}</tr>`;
        const body = token.rows.map((row) => rows(row, 'td')).join('');
        return `<div class="table-box" tabindex="0"><table><thead>${rows(token.header, 'th')}</thead><tbody>${body}</tbody></table></div>`;
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        if (/^https?:/.test(href)) return `<a href="${escaped(href)}" target="_blank" rel="noopener">${text}</a>`;
        const [file = '', anchor] = href.split('#');
        const target = file === '' ? path : relative(DOCS, join(from, file));
        if (!pages().includes(target)) return text;
        return `<a href="/help/${slugOf(target)}${anchor === undefined ? '' : `#${anchor}`}">${text}</a>`;
      },
      image({ href, text }) {
        pictures.push(join(from, href));
        return `<img src="%picture-${pictures.length - 1}%" alt="${escaped(text)}" loading="lazy">`;
      },
    },
  });
  const text = readFileSync(join(DOCS, path), 'utf8').replace(/^# .+$/m, '');
  return { html: marked.parse(text, { async: false }), pictures };
}

/**
 * `virtual:help` lists the pages of the guide and of the reference; each page is a module of its own, fetched when it is
 * opened. They are rendered while the UI is built.
 */
export function help(): Plugin {
  return {
    name: 'bellwether-help',
    resolveId: (id) => (id === INDEX || id.startsWith(PAGE) ? `\0${id}` : null),
    load(id) {
      if (id === `\0${INDEX}`) {
        const entries = pages().map((path) => {
          const slug = slugOf(path);
          const title = titleOf(readFileSync(join(DOCS, path), 'utf8'));
          return `{ slug: ${JSON.stringify(slug)}, title: ${JSON.stringify(title)}, load: () => import('${PAGE}${slug}') }`;
        });
        return `export default [${entries.join(',\n')}];`;
      }
      if (!id.startsWith(`\0${PAGE}`)) return null;
      const path = pathOf(id.slice(PAGE.length + 1));
      this.addWatchFile(join(DOCS, path));
      const { html, pictures } = render(path);
      const missing = pictures.find((picture) => !existsSync(picture));
      if (missing !== undefined) return this.error(`${path} shows ${missing}, which does not exist`);
      const imports = pictures.map((picture, n) => `import picture${n} from ${JSON.stringify(`${picture}?url`)};`);
      const filled = pictures.map((_, n) => `.replace('%picture-${n}%', picture${n})`).join('');
      return `${imports.join('\n')}\nexport default ${JSON.stringify(html)}${filled};`;
    },
  };
}
