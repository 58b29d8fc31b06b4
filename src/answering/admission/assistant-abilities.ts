import { Injectable } from '@nestjs/common';
import type { AssistantAbility } from '../../tools';
import type { Completion } from '../completion/completion.types';

export type AbilityFactory = (completion: Completion) => AssistantAbility;

/**
 * Where a completion gets its ability to call other assistants. The ability needs `QuietAnswers`, which needs whatever a
 * completion needs: so its maker hands itself in when it starts (`onModuleInit`) instead of being injected here.
 */
@Injectable()
export class AssistantAbilities {
  private factory: AbilityFactory | null = null;

  /** @throws Error when somebody provides it already. */
  providedBy(factory: AbilityFactory): void {
    if (this.factory !== null) throw new Error('The ability to call assistants is provided twice');
    this.factory = factory;
  }

  /** null inside a nested run (ACCESS.md B5), and where nobody provides it. */
  abilityFor(completion: Completion): AssistantAbility | null {
    return completion.depth > 0 || this.factory === null ? null : this.factory(completion);
  }
}
