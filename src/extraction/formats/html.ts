import TurndownService from 'turndown';
import { ExtractionError } from '../document/extraction.errors';
import type { Content, Source } from './format-reader.types';
import { addRules, markOf, type PageFacts, withoutMarks } from './html-rules';
import { shortTitle, sourceText, titleOf } from './text';

/** A `<main>` with a smaller share of the text is not the whole content. */
const MAIN_SHARE = 0.5;

/** Only text that looks like a heading or a fence is escaped, so formulas and inline code stay unchanged. */
const AT_LINE_START = /^(#{1,6}(?=\s)|`{3}|~{3})/;

/** Turndown takes quadratic time over a long run of blanks; no page needs one. */
const LONG_BLANK =
  /(?:\s|&(?:nbsp|e[mn]sp|thinsp|tab|newline|#0*(?:9|10|13|32|160|819\d|820[0-2]|12288)|#x0*(?:9|a|d|20|a0|200[\da]|3000));){200,}/gi;
const SHORT_BLANK = ' '.repeat(200);

export interface ReadPage {
  readonly text: string;
  readonly title: string | null;
  /** Sentences about words of the page that are missing from the text. */
  readonly leftOut: readonly string[];
}

/** Markdown of an HTML page; nothing is fetched, no script runs. */
export function htmlToMarkdown(html: string): ReadPage {
  const facts: PageFacts = { title: null, mains: [] };
  const service = new TurndownService({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
    br: '',
    blankReplacement: (_, node) => {
      const { isBlock } = node as unknown as { readonly isBlock: boolean };
      return markOf(node as never) || (isBlock ? '\n\n' : '');
    },
  });
  service.escape = (text) => text.replace(AT_LINE_START, '\\$1');
  addRules(service, facts);
  const whole = service.turndown(html.replace(LONG_BLANK, SHORT_BLANK));
  const [main = ''] = facts.mains;
  const chosen = facts.mains.length === 1 && main.length >= MAIN_SHARE * whole.length ? main : whole;
  const { text, leftOut } = withoutMarks(chosen);
  return { text: tidy(text), title: facts.title === null ? null : shortTitle(facts.title), leftOut };
}

const tidy = (text: string): string =>
  text
    .replaceAll('\u00a0', ' ')
    .replace(/\n[ \t\n]*\n/g, '\n\n')
    .trim();

export function readHtml(source: Source): Content {
  const { text: html, warnings } = sourceText(source);
  const { text, title, leftOut } = htmlToMarkdown(html);
  if (text === '')
    throw new ExtractionError(
      'document.no_text',
      'The page holds no text. Content that a script loads is not part of the file',
    );
  return { text, title: title ?? titleOf(text), pages: [], warnings: [...warnings, ...leftOut] };
}
