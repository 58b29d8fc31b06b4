import { invalid } from '@bellwether/kernel';
import { OrganizationsService } from '../../organizations';
import type { Config } from '../../infrastructure/config';
import { ErasurePlans, Erasures, planText, reportText, UNSHARED_CHOICES, type Unshared } from '../../privacy';
import { withApplication } from '../context';
import type { CommandContext, CommandResult } from '../../infrastructure/commands';

export interface EraseOptions {
  readonly org: string;
  readonly dryRun?: boolean;
  readonly heir?: string;
  readonly unshared: string;
}

function choiceOf(text: string): Unshared {
  const found = UNSHARED_CHOICES.find((choice) => choice === text);
  if (found === undefined)
    throw invalid([{ path: 'unshared', message: `must be one of ${UNSHARED_CHOICES.join(', ')}` }]);
  return found;
}

export const erasePerson = (
  config: Config,
  { org, dryRun = false, heir, unshared }: EraseOptions,
  context: CommandContext,
): Promise<CommandResult> =>
  withApplication(config, 'every', async (application) => {
    const organizationId = await application.get(OrganizationsService).idOf(org);
    const [member = ''] = context.args;
    const wish = { organizationId, member, unshared: choiceOf(unshared), ...(heir === undefined ? {} : { heir }) };
    if (dryRun) {
      const plan = await application.get(ErasurePlans).plan(null, wish);
      return { ok: plan.problems.length === 0, text: planText(plan), data: { dry_run: true, plan } };
    }
    const erasures = application.get(Erasures);
    const { id } = await erasures.request(null, wish);
    const report = await erasures.run(organizationId, id, context.signal);
    if (report !== null) return { text: reportText(report), data: { id, state: 'done', report } };
    const { state } = await erasures.get(organizationId, id);
    return { text: `The server works on this erasure (${id}).`, data: { id, state } };
  });
