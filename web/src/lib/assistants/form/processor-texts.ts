import { i18n } from '$lib/i18n/i18n.svelte';

type Kind = 'prompt_processor' | 'rag_processor';
interface Processor {
  readonly name: string;
  readonly description: string;
}

/** A processor's name for people; its own name where a plugin brought it. */
export const processorName = (kind: Kind, name: string): string => i18n.maybe(`classic.${kind}.${name}`) ?? name;

/** What it does, in the reader's language; the service's words where a plugin brought it. */
export const processorAbout = (kind: Kind, { name, description }: Processor): string =>
  i18n.maybe(`classic.${kind}.${name}.about`, {
    user_input: '{user_input}',
    context: '{context}',
    moodle_user: '{moodle_user}',
  }) ?? description;
