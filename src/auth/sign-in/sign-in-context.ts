import type { BellwetherRequest } from '../../infrastructure/http';
import type { SessionCookie } from '../sessions/session-cookie';
import type { SignInContext } from './sessions.service';

export const signInContextOf = (request: BellwetherRequest, cookie: SessionCookie): SignInContext => ({
  requestId: typeof request.id === 'string' ? request.id : null,
  ip: request.ip ?? null,
  replaces: cookie.tokenOf(request.headers),
});
