import { Inject, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { CONFIG, type Config } from '../../../src/infrastructure/config';

/** Addresses of this service that a platform must know. */
export interface Addresses {
  readonly launch_url: string;
  readonly login_url: string;
  readonly jwks_url: string;
  readonly deep_link_url: string;
}

export const LAUNCH_PATH = '/lti/launch';
export const DEEP_LINK_PATH = '/lti/deep-link';
const LOGIN_PATH = '/lti/login';

/** Login address of one platform. */
export const loginPathOf = (platformId: string): string => `${LOGIN_PATH}/${platformId}`;

/** Absolute addresses of this service, by `PUBLIC_URL`, else by the request. */
@Injectable()
export class ToolAddresses {
  constructor(@Inject(CONFIG) private readonly config: Config) {}

  originOf({ protocol, headers }: Pick<Request, 'protocol' | 'headers'>): string {
    const { publicUrl } = this.config.http;
    return publicUrl !== null ? new URL(publicUrl).origin : `${protocol}://${headers.host ?? 'localhost'}`;
  }

  /** All that a platform may have: a second host name leads here too, as that of LAMB does. */
  originsOf(request: Pick<Request, 'protocol' | 'headers'>): readonly string[] {
    const origin = this.originOf(request);
    const { protocol } = new URL(origin);
    const named = `${protocol}//${request.headers.host ?? ''}`;
    return URL.canParse(named) ? [...new Set([origin, new URL(named).origin])] : [origin];
  }

  /** @param platformId null before the platform is set up: then the issuer and the client id name it at its login */
  at(origin: string, platformId: string | null = null): Addresses {
    return {
      launch_url: origin + LAUNCH_PATH,
      login_url: origin + (platformId === null ? LOGIN_PATH : loginPathOf(platformId)),
      jwks_url: `${origin}/lti/jwks`,
      deep_link_url: origin + DEEP_LINK_PATH,
    };
  }
}
