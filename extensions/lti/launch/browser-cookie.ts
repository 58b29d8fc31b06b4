import { Injectable } from '@nestjs/common';
import { AttemptCookie, SessionCookie } from '../../../src/auth';

/** Binds launches to the browser that began them, so that nobody is signed in by another person's launch. */
@Injectable()
export class BrowserCookie extends AttemptCookie {
  constructor({ own: { isSecure } }: SessionCookie) {
    // The platform answers by a POST from its site, often in a frame: `Lax` is not sent then. Browsers take `None` and
    // partitions (CHIPS) over https alone.
    const crossSite = isSecure ? ({ sameSite: 'none', partitioned: true } as const) : ({ sameSite: 'lax' } as const);
    super(isSecure ? '__Host-bw-lti' : 'bw-lti', { secure: isSecure, ...crossSite });
  }
}
