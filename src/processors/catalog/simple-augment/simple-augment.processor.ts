import { Injectable } from '@nestjs/common';
import { assertRenderable } from '../../../templates';
import { sourcesBlock } from '../../../tools';
import { assembleMessages } from '../../assemble-messages';
import type { AssembledMessages, ProcessorDefinition, PromptInput, PromptProcessor, RagContext } from '../../contract';

const SLOT = /\{(user_input|context)\}/g;

/**
 * LAMB's prompt processor: `{user_input}` and `{context}` are filled, every other brace stays. One pass over the template,
 * so a question that holds `{context}` stays as asked.
 */
@Injectable()
export class SimpleAugmentProcessor implements PromptProcessor {
  readonly definition: ProcessorDefinition = {
    name: 'simple_augment',
    aliases: ['default', ''],
    description: 'Fills {user_input} and {context} of the prompt template; the context ends with its sources.',
  };

  build({ messages, systemPrompt, template, rag, vision }: PromptInput): AssembledMessages {
    const context = contextText(rag);
    const rewrite = (question: string): string | null => (template === '' ? null : filled(template, question, context));
    return assembleMessages({ messages, systemPrompt, vision, rewrite });
  }
}

function filled(template: string, question: string, context: string): string {
  const asked = `\n\n${question}\n\n`;
  const contentOf = (name: string | undefined): string => (name === 'user_input' ? asked : context);
  let length = template.length;
  for (const [, name] of template.matchAll(SLOT)) length += contentOf(name).length;
  assertRenderable(length);
  return template.replace(SLOT, (_, name: string) => contentOf(name));
}

/** Unlike a multi-tool slot, an empty context keeps its newlines: classic prompts must not change. */
const contextText = (rag: RagContext | null): string =>
  rag === null ? '' : `\n\n${rag.context}${sourcesBlock(rag.sources)}\n\n`;
