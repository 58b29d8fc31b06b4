export { AccessGuard } from './access/access.guard';
export { CredentialMiddleware, RequestAuthenticator, assertScope } from './access/authenticator';
export { CallerMonitor, CallerRenewal, type MonitoredWork } from './access/caller-monitor.service';
export { FailedCredentials, addressGroup } from './access/failed-credentials.service';
export { endUserOfMetadata } from './access/end-user';
export { ApiKeysService, type NewKey } from './api-keys.service';
export { AuthModule } from './auth.module';
export { ADMIN_KEY_FILE, type BootstrapReport, BootstrapService } from './bootstrap.service';
export { passwordFigures } from './imported-passwords/imported-password.repository';
export { ImportedPasswords } from './imported-passwords/imported-passwords.service';
export { InvitableMembers, assertLocalSignIn } from './invitations/invitable-members.service';
export { ProviderDocument } from './issuers/openid-client';
export { CreateScimTokenDto, NewScimTokenDto, ScimTokensDto } from './scim-tokens/scim-token.dto';
export { ScimTokens } from './scim-tokens/scim-tokens.service';
export { scopesOf } from './sessions/role-scopes';
export {
  SessionCookie,
  assertNotForeign,
  looksLikeSessionToken,
  newSessionToken,
  sessionHashOf,
} from './sessions/session-cookie';
export { type OpenedSession, SessionsService, type SignInContext } from './sign-in/sessions.service';
export { LinkRate } from './sign-in/link-rate';
export { SignInLinks, signInContextOf } from './sign-in/sign-in-links.service';
export { AttemptCookie, ownPath } from './single-sign-on/sign-in-attempt';
