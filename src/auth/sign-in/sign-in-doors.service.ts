import { Injectable } from '@nestjs/common';
import type { Caller } from '../../kernel';
import { Issuers } from '../issuers/issuers.service';
import type { SessionDto } from './session.dto';
import { SessionsService } from './sessions.service';

export const signOnPath = (key: string, action: 'login' | 'logout' | 'callback' | 'logo'): string =>
  `/auth/oidc/${key}/${action}`;

/** The ways in for a browser that is signed out, and the way out for one that is signed in. */
@Injectable()
export class SignInDoors {
  constructor(
    private readonly issuers: Issuers,
    private readonly sessions: SessionsService,
  ) {}

  async of(caller: Caller | null): Promise<SessionDto> {
    if (caller !== null) {
      const signOn = await this.sessions.signOnOf(caller);
      const sign_out_url = signOn === null ? null : signOnPath(signOn.issuerKey, 'logout');
      return { signed_in: true, providers: [], sign_out_url };
    }
    const listed = await this.issuers.listed();
    const providers = listed.map(({ key, name, hasLogo }) => ({
      name,
      url: signOnPath(key, 'login'),
      logo: hasLogo ? signOnPath(key, 'logo') : null,
    }));
    return { signed_in: false, providers, sign_out_url: null };
  }
}
