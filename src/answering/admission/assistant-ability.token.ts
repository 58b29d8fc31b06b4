import type { AssistantAbility } from '../../tools';
import type { Completion } from '../completion.types';

/** Lets a completion call other assistants. `AssistantCallsModule` provides it. */
export const ASSISTANT_ABILITY = Symbol('ASSISTANT_ABILITY');

export interface AbilityProvider {
  /** null inside a nested run. */
  abilityFor(completion: Completion): AssistantAbility | null;
}
