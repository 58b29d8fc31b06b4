import { Inject, Injectable } from '@nestjs/common';
import { AppError, type Problem } from '../../kernel';
import { CONFIG, type Config } from '../../infrastructure/config';
import { OutboundClient } from '../../infrastructure/outbound';
import { urlsOf } from './settings-merge';
import { assertKnownProviders, type SettingsPatch, validSettingsPatch } from './settings-validation';

/** Checks a patch of the settings before it is merged. */
@Injectable()
export class SettingsChecks {
  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'vendors'>,
    private readonly outbound: OutboundClient,
  ) {}

  /** @throws {AppError} `validation_failed` listing every problem with its path */
  valid(body: unknown): SettingsPatch {
    const patch = validSettingsPatch(body);
    assertKnownProviders(patch, [...this.config.vendors.keys()]);
    return patch;
  }

  /** @throws {AppError} `outbound_refused` listing every address that the service does not dial */
  async assertDialable(patch: SettingsPatch): Promise<void> {
    const problems: Problem[] = [];
    await Promise.all(
      urlsOf(patch).map(async ({ path, url }) => {
        try {
          await this.outbound.assertDialable(url);
        } catch (error) {
          if (!(error instanceof AppError)) throw error;
          const words = wordsOf(url);
          const { address } = words.values;
          const hint = address === undefined ? '' : `; the operator can allow it with OUTBOUND_ALLOW=${address}`;
          problems.push({ path, message: `${error.detail}${hint}`, ...words });
        }
      }),
    );
    if (problems.length > 0) throw new AppError('outbound_refused', 'An address is not allowed', { problems });
  }
}

function wordsOf(url: string): Required<Pick<Problem, 'code' | 'values'>> {
  if (!URL.canParse(url)) return { code: 'address.invalid', values: {} };
  const { hostname: host, port, protocol, username, password } = new URL(url);
  if (username + password !== '') return { code: 'address.credentials', values: { host } };
  const address = `${host}:${port === '' ? (protocol === 'https:' ? '443' : '80') : port}`;
  return { code: 'address.refused', values: { host, address } };
}
