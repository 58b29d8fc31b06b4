import { Inject, Injectable } from '@nestjs/common';
import type { AssembledMessages } from '../../../kernel';
import { MoodleService } from '../../../moodle';
import { augment } from '../../augment';
import type { GatherContext, Gathered, ProcessorDefinition, PromptInput, PromptProcessor } from '../../contract';

const MOODLE_USER = 'moodle_user';

/** `simple_augment` with one more slot, `{moodle_user}`: who asks, as the authenticated request says. */
@Injectable()
export class MoodleAugmentProcessor implements PromptProcessor {
  readonly definition: ProcessorDefinition = {
    name: 'moodle_augment',
    aliases: [],
    description: 'Like simple_augment; {moodle_user} becomes the Moodle id, or else the e-mail address, of who asks.',
  };

  constructor(@Inject(MoodleService) private readonly moodle: Pick<MoodleService, 'userText'>) {}

  async gather({ caller, owner, signal }: GatherContext): Promise<Gathered> {
    const { text, warnings } = await this.moodle.userText(caller, owner.organizationId, signal);
    return { values: new Map([[MOODLE_USER, text]]), warnings };
  }

  build(input: PromptInput): AssembledMessages {
    return augment(input, [MOODLE_USER]);
  }
}
