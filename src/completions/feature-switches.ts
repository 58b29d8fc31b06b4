import type { RunnableAssistant } from '../assistants';
import type { OrganizationRuntime } from '../organizations';

/** An assistant of a kind that its organization has switched off is neither listed as a model nor run. */
export const isSwitchedOff = ({ document }: RunnableAssistant, { features }: OrganizationRuntime): boolean =>
  document.type === 'multi_tool' && !features.multi_tool;
