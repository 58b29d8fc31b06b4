import type { Passage } from '../../knowledge-bases';
import type { Citation } from '../contract';
import { sourceLine, SOURCES_HEADING } from '../sources-block';

export const SOURCES_IN_PROMPT = ['none', 'numbered', 'lamb'] as const;
export type SourcesInPrompt = (typeof SOURCES_IN_PROMPT)[number];

export interface CitedText {
  readonly content: string;
  readonly citations: readonly Citation[];
}

/**
 * Passages as the model reads them, joined by blank lines. `numbered` puts `[n] ` before each passage; `lamb` puts the
 * block that classic assistants have behind them. The numbers are left to the engine: they run over all tools.
 */
export function passageText(passages: readonly Passage[], style: SourcesInPrompt): CitedText {
  const texts = passages.map(({ text }) => text);
  if (style === 'none' || passages.length === 0) return { content: texts.join('\n\n'), citations: [] };
  return style === 'numbered' ? numbered(texts) : withBlock(texts.join('\n\n'), passages);
}

function numbered(texts: readonly string[]): CitedText {
  const citations: Citation[] = [];
  let content = '';
  for (const [source, text] of texts.entries()) {
    if (source > 0) content += '\n\n';
    citations.push({ at: content.length + 1, source });
    content += `[] ${text}`;
  }
  return { content, citations };
}

function withBlock(text: string, passages: readonly Passage[]): CitedText {
  const citations: Citation[] = [];
  let content = text + SOURCES_HEADING;
  for (const [source, passage] of passages.entries()) {
    const { title, url, similarity } = sourceLine(passage.source);
    citations.push({ at: content.length, source });
    content += `. [${title}](${url}) (similarity: ${similarity})\n`;
  }
  return { content, citations };
}
