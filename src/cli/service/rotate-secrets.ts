import type { Config } from '../../infrastructure/config';
import { SecretsService } from '../../infrastructure/secrets';
import { withApplication } from '../context';
import type { CommandResult } from '../../infrastructure/commands';

export const rotateSecrets = (config: Config): Promise<CommandResult> =>
  withApplication(config, 'none', async (context) => {
    const report = await context.get(SecretsService).rotate();
    const text = `Rewrapped ${report.rotated} data keys; ${report.unavailable} cannot be opened with the configured keys.`;
    return { text, data: { ...report }, ok: report.unavailable === 0 };
  });
