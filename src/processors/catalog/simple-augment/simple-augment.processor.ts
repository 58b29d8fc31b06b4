import { Injectable } from '@nestjs/common';
import { sourcesBlock } from '../../../tools';
import { assembleMessages } from '../../assemble-messages';
import type { AssembledMessages, ProcessorDefinition, PromptInput, PromptProcessor, RagContext } from '../../contract';

const SLOT = /\{(user_input|context)\}/g;

/**
 * LAMB's prompt processor: `{user_input}` and `{context}` are filled, every other brace stays. One pass over the template,
 * so a question that holds `{context}` stays as asked (specs/README.md point 12).
 */
@Injectable()
export class SimpleAugmentProcessor implements PromptProcessor {
  readonly definition: ProcessorDefinition = {
    name: 'simple_augment',
    aliases: ['default', ''],
    description: 'Fills {user_input} and {context} of the prompt template; the context ends with its sources.',
  };

  build({ messages, systemPrompt, template, rag, vision }: PromptInput): AssembledMessages {
    const rewrite = (question: string): string | null =>
      template === ''
        ? null
        : template.replace(SLOT, (_, name: string) =>
            name === 'user_input' ? `\n\n${question}\n\n` : contextText(rag),
          );
    return assembleMessages({ messages, systemPrompt, vision, rewrite });
  }
}

/** Unlike a multi-tool slot, an empty context keeps its newlines: classic prompts must not change. */
const contextText = (rag: RagContext | null): string =>
  rag === null ? '' : `\n\n${rag.context}${sourcesBlock(rag.sources)}\n\n`;
