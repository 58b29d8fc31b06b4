import type { RunnableAssistant } from '../assistants';
import type { OrganizationRuntime } from '../organizations';

/** An assistant of a kind that its organization has switched off is neither listed as a model nor run. */
export const isSwitchedOff = (assistant: RunnableAssistant, organization: OrganizationRuntime): boolean =>
  switchedOff(assistant, organization) !== null;

/** What is switched off, for the message of the refusal; null when nothing is. */
export function switchedOff({ document }: RunnableAssistant, { features }: OrganizationRuntime): string | null {
  if (document.type === 'multi_tool' && !features.multi_tool) return 'Multi-tool assistants';
  if (document.type === 'multi_tool' && document.orchestrator === 'planned' && !features.planned) {
    return 'Assistants with the strategy `planned`';
  }
  if (document.functions.length > 0 && !features.functions) return 'Assistants with functions';
  return null;
}
