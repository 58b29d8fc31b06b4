import { type RunnableAssistant, switchedOff } from '../../assistants';
import type { OrganizationRuntime, OrganizationsService } from '../../organizations';

/** The assistants that are switched on, each with its own organization, which need not be the caller's. */
export async function running(
  assistants: readonly RunnableAssistant[],
  organizations: Pick<OrganizationsService, 'runtime'>,
): Promise<{ assistant: RunnableAssistant; organization: OrganizationRuntime }[]> {
  const ids = [...new Set(assistants.map(({ organizationId }) => organizationId))];
  const runtimes = new Map(await Promise.all(ids.map(async (id) => [id, await organizations.runtime(id)] as const)));
  return assistants.flatMap((assistant) => {
    const organization = runtimes.get(assistant.organizationId);
    if (organization === undefined || switchedOff(assistant.required, organization.features)) return [];
    return [{ assistant, organization }];
  });
}
