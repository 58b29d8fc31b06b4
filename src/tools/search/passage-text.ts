import type { Passage } from '../../knowledge-bases';
import { type CitedText, citedText, type SourcesInPrompt } from './sources-block';

/** Passages as the model reads them. */
export const passageText = (passages: readonly Passage[], style: SourcesInPrompt): CitedText =>
  citedText(
    passages.map(({ text }) => text),
    passages.map(({ source }) => source),
    style,
  );
