import type { Schema } from '$lib/kit/api/client';
import { i18n } from '$lib/kit/i18n/i18n.svelte';

export type Processor = Schema<'ProcessorDto'>;

/** The processors of classic assistants, by name and by the other names that stored assistants carry. */
export class ClassicProcessors {
  constructor(
    readonly prompt: readonly Processor[],
    readonly rag: readonly Processor[],
  ) {}

  findPrompt(name: string): Processor | undefined {
    return named(this.prompt, name);
  }

  findRag(name: string): Processor | undefined {
    return named(this.rag, name);
  }
}

const named = (list: readonly Processor[], name: string): Processor | undefined =>
  list.find((each) => each.name === name || each.aliases.includes(name));

/** Name and purpose in the reader's language, else in English. */
export const processorText = ({ name, description, texts }: Processor): { name: string; about: string } =>
  texts[i18n.locale] ?? texts.en ?? { name, about: description };
