import type { RunnableAssistant } from '../../assistants';
import type { OrganizationRuntime, OrganizationsService } from '../../organizations';

/** An assistant of a kind that its organization has switched off is neither listed as a model nor run. */
const isSwitchedOff = (assistant: RunnableAssistant, organization: OrganizationRuntime): boolean =>
  switchedOff(assistant, organization) !== null;

/** The feature that is switched off, for the message of the refusal; null when all are on. */
export function switchedOff({ document }: RunnableAssistant, { features }: OrganizationRuntime): string | null {
  if (document.type === 'multi_tool' && !features.multi_tool) return 'Multi-tool assistants';
  if (document.type === 'multi_tool' && document.orchestrator === 'planned' && !features.planned) {
    return 'Assistants with the strategy `planned`';
  }
  if (document.functions.length > 0 && !features.functions) return 'Assistants with functions';
  return null;
}

/** The assistants that are switched on, each with its own organization, which need not be the caller's. */
export async function running(
  assistants: readonly RunnableAssistant[],
  organizations: Pick<OrganizationsService, 'runtime'>,
): Promise<{ assistant: RunnableAssistant; organization: OrganizationRuntime }[]> {
  const ids = [...new Set(assistants.map(({ organizationId }) => organizationId))];
  const runtimes = new Map(await Promise.all(ids.map(async (id) => [id, await organizations.runtime(id)] as const)));
  return assistants.flatMap((assistant) => {
    const organization = runtimes.get(assistant.organizationId);
    return organization === undefined || isSwitchedOff(assistant, organization) ? [] : [{ assistant, organization }];
  });
}
