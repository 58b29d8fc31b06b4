import { Injectable } from '@nestjs/common';
import type { AssembledMessages } from '../../../kernel';
import { augment } from '../../augment';
import type { ProcessorDefinition, PromptInput, PromptProcessor } from '../../contract';

/** LAMB's prompt processor: `{user_input}` and `{context}` are filled, every other brace stays. */
@Injectable()
export class SimpleAugmentProcessor implements PromptProcessor {
  readonly definition: ProcessorDefinition = {
    name: 'simple_augment',
    aliases: ['default', ''],
    description: 'Fills {user_input} and {context} of the prompt template; the context ends with its sources.',
  };

  build(input: PromptInput): AssembledMessages {
    return augment(input);
  }
}
