import { Inject, Injectable } from '@nestjs/common';
import { AppError, isJsonObject } from '../../../kernel';
import type { KnowledgeBaseRuntime } from '../../../organizations';
import { OutboundClient } from '../../../infrastructure/outbound';
import { noUsableAnswer, refusalOf } from './external-failure';

const TIMEOUT_MS = 10_000;

/** Asks a LAMB knowledge-base server once whether address and token are right. */
@Injectable()
export class ExternalProbe {
  constructor(@Inject(OutboundClient) private readonly outbound: Pick<OutboundClient, 'request'>) {}

  /** Number of collections that the server lists. */
  async collections({ serverUrl, apiToken }: KnowledgeBaseRuntime, signal: AbortSignal): Promise<number> {
    const { status, headers, text } = await this.outbound.request({
      url: new URL('collections', serverUrl.endsWith('/') ? serverUrl : `${serverUrl}/`).href,
      headers: {
        accept: 'application/json',
        ...(apiToken === null ? {} : { authorization: `Bearer ${apiToken}` }),
      },
      timeoutMs: TIMEOUT_MS,
      signal,
    });
    const vendor = { status, message: null, request_id: null, retries: 0 };
    if (status < 200 || status > 299) {
      const { code, detail } = refusalOf(status, headers);
      throw new AppError(code, detail, { vendor });
    }
    const count = countIn(text);
    if (count === null) throw new AppError('upstream_bad_response', noUsableAnswer().detail, { vendor });
    return count;
  }
}

/** Versions differ: a bare list, or an object with it. Null for anything else. */
function countIn(text: string): number | null {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    return null;
  }
  const lists = [answer, ...(isJsonObject(answer) ? [answer['collections'], answer['items']] : [])];
  const list = lists.find((each) => Array.isArray(each));
  return list === undefined ? null : list.length;
}
