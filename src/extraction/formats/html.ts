import TurndownService from 'turndown';
import { ExtractionError } from '../document/extraction.errors';
import type { Content, Source } from './format-reader.types';
import { addRules, type PageFacts } from './html-rules';
import { firstHeading, sourceText } from './text';

/** A `<main>` that holds less than this share of the page is not all there is to read. */
const MAIN_SHARE = 0.5;

const TITLE_MAX = 200;

/** A text that would be taken for a heading or a fence at the start of a line; nothing else is escaped, so that formulas and code in running text stay as they are. */
const AT_LINE_START = /^(#{1,6}(?=\s)|`{3}|~{3})/;

/** Markdown of an HTML page; nothing is fetched, no script runs. */
export function htmlToMarkdown(html: string): { text: string; title: string | null } {
  const facts: PageFacts = { title: null, mains: [] };
  const service = new TurndownService({ headingStyle: 'atx', codeBlockStyle: 'fenced', bulletListMarker: '-', br: '' });
  service.escape = (text) => text.replace(AT_LINE_START, '\\$1');
  addRules(service, facts);
  const whole = service.turndown(html);
  const [main = ''] = facts.mains;
  const text = facts.mains.length === 1 && main.length >= MAIN_SHARE * whole.length ? main : whole;
  return { text: tidy(text), title: facts.title === null ? null : short(facts.title) };
}

/** A title goes with every passage of the page. */
const short = (title: string): string | null => title.slice(0, TITLE_MAX).trim().toWellFormed() || null;

const tidy = (text: string): string =>
  text
    .replaceAll('\u00a0', ' ')
    .replace(/\n[ \t\n]*\n/g, '\n\n')
    .trim();

export function readHtml(source: Source): Content {
  const { text: html, warnings } = sourceText(source);
  const { text, title } = htmlToMarkdown(html);
  if (text === '')
    throw new ExtractionError('document.no_text', 'The page holds no text; content that a script loads is not there');
  return { text, title: title ?? firstHeading(text), pages: [], warnings };
}
