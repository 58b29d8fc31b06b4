import { AppError, isJsonObject } from '@bellwether/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { OutboundClient } from '../infrastructure/outbound';
import type { MoodleRuntime } from '../organizations';
import { siteNameIn } from './moodle-answers';
import { MOODLE_FUNCTIONS, MoodleConnection } from './moodle-site';

export interface ProbedMoodle {
  /** Name of the site. */
  readonly name: string;
  /** Web service functions that assistants need and this token may not call. */
  readonly missing: readonly string[];
}

/** Asks a Moodle once whether address and token are right. Rejects as `MoodleConnection` does. */
@Injectable()
export class MoodleProbe {
  constructor(@Inject(OutboundClient) private readonly outbound: Pick<OutboundClient, 'request'>) {}

  async site(
    organizationId: string,
    { apiUrl, token, trusted }: MoodleRuntime,
    signal: AbortSignal,
  ): Promise<ProbedMoodle> {
    if (token === null || token === '') {
      throw new AppError('connector_not_configured', 'Moodle requires a token');
    }
    const connection = new MoodleConnection(this.outbound, { organizationId, apiUrl, token, trusted });
    const answer = await connection.call('core_webservice_get_site_info', {}, signal);
    const name = siteNameIn(answer);
    if (name === null || !isJsonObject(answer)) {
      throw new AppError('upstream_bad_response', 'The answer is not that of a Moodle');
    }
    const listed: readonly unknown[] = Array.isArray(answer['functions']) ? answer['functions'] : [];
    const callable = new Set(listed.filter(isJsonObject).map((each) => each['name']));
    return { name, missing: MOODLE_FUNCTIONS.filter((each) => !callable.has(each)) };
  }
}
