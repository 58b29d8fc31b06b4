import type { Config } from '../../platform/config';
import { SecretsService } from '../../platform/secrets';
import { withApplication } from '../context';
import type { CommandResult } from '../output';

export const rotateSecrets = (config: Config): Promise<CommandResult> =>
  withApplication(config, 'none', async (context) => {
    const report = await context.get(SecretsService).rotate();
    const text = `Wrapped ${report.rotated} keys anew; ${report.unavailable} cannot be opened with the keys at hand.`;
    return { text, data: { ...report }, ok: report.unavailable === 0 };
  });
