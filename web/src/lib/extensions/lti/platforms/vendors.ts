import type { PlatformValues } from './platform-values';

export const VENDORS = ['moodle', 'canvas', 'blackboard', 'brightspace', 'openedx'] as const;
export type Vendor = (typeof VENDORS)[number];

type Named = 'issuer' | 'clientId' | 'deployments' | 'authorization' | 'token' | 'audience' | 'jwks';
export type ToolAddress = 'launch_url' | 'login_url' | 'jwks_url' | 'redirect_uris' | 'deep_link_url';

interface VendorFacts {
  readonly name: string;
  /** How its pages call a value that the form asks for. */
  readonly calls: Readonly<Partial<Record<Named, string>>>;
  /** How its pages call an address of this service. */
  readonly asks: Readonly<Partial<Record<ToolAddress, string>>>;
  /** Addresses that are the same for every customer, or follow from others. */
  readonly addresses: Readonly<Partial<Record<Named, string>>>;
  /** Part of an address by which a stored platform is recognized. */
  readonly mark: string;
}

/** Names and addresses from the administration guides of the platforms. */
export const FACTS: Readonly<Record<Vendor, VendorFacts>> = {
  moodle: {
    name: 'Moodle',
    calls: {
      issuer: 'Platform ID',
      clientId: 'Client ID',
      deployments: 'Deployment ID',
      authorization: 'Authentication request URL',
      token: 'Access token URL',
      jwks: 'Public keyset URL',
    },
    asks: {
      launch_url: 'Tool URL',
      login_url: 'Initiate login URL',
      jwks_url: 'Public keyset',
      redirect_uris: 'Redirection URI(s)',
      deep_link_url: 'Content selection URL',
    },
    addresses: {
      authorization: '{issuer}/mod/lti/auth.php',
      token: '{issuer}/mod/lti/token.php',
      jwks: '{issuer}/mod/lti/certs.php',
    },
    mark: '/mod/lti/',
  },
  canvas: {
    name: 'Canvas',
    calls: { clientId: 'Details', deployments: 'Deployment ID' },
    asks: {
      launch_url: 'Target Link URI',
      login_url: 'OpenID Connect Initiation Url',
      jwks_url: 'Public JWK URL',
      redirect_uris: 'Redirect URIs',
      deep_link_url: 'Link Selection › Target Link URI',
    },
    addresses: {
      issuer: 'https://canvas.instructure.com',
      authorization: 'https://sso.canvaslms.com/api/lti/authorize_redirect',
      token: 'https://sso.canvaslms.com/login/oauth2/token',
      jwks: 'https://sso.canvaslms.com/api/lti/security/jwks',
    },
    mark: '/api/lti/authorize_redirect',
  },
  blackboard: {
    name: 'Blackboard',
    calls: {
      issuer: 'Issuer',
      clientId: 'Application ID',
      deployments: 'Deployment ID',
      authorization: 'OIDC auth request endpoint',
      token: 'Auth token endpoint',
      jwks: 'Public keyset URL',
    },
    asks: {
      launch_url: 'Target Link URI',
      login_url: 'Login Initiation URL',
      jwks_url: 'Tool JWKS URL',
      redirect_uris: 'Tool Redirect URL(s)',
      deep_link_url: 'Deep Linking content tool › Target Link URI',
    },
    addresses: {
      issuer: 'https://blackboard.com',
      authorization: 'https://developer.blackboard.com/api/v1/gateway/oidcauth',
      token: 'https://developer.blackboard.com/api/v1/gateway/oauth2/jwttoken',
      jwks: 'https://developer.blackboard.com/api/v1/management/applications/{clientId}/jwks.json',
    },
    mark: 'developer.blackboard.com/',
  },
  brightspace: {
    name: 'Brightspace',
    calls: {
      issuer: 'Issuer',
      clientId: 'Client Id',
      deployments: 'Deployment Id',
      authorization: 'OpenID Connect Authentication Endpoint',
      token: 'Brightspace OAuth2 Access Token URL',
      audience: 'Brightspace OAuth2 Audience',
      jwks: 'Brightspace Keyset URL',
    },
    asks: {
      launch_url: 'Target Link URI',
      login_url: 'OpenID Connect Login URL',
      jwks_url: 'Keyset URL',
      redirect_uris: 'Redirect URLs',
      deep_link_url: 'Deep Linking Quicklink › URL',
    },
    addresses: {
      authorization: '{issuer}/d2l/lti/authenticate',
      token: 'https://auth.brightspace.com/core/connect/token',
      audience: 'https://api.brightspace.com/auth/token',
      jwks: '{issuer}/d2l/.well-known/jwks',
    },
    mark: '/d2l/lti/',
  },
  openedx: {
    name: 'Open edX',
    calls: {
      clientId: 'Client ID',
      deployments: 'Deployment ID',
      authorization: 'Login URL',
      token: 'Access Token URL',
      jwks: 'Keyset URL',
    },
    asks: {
      launch_url: 'Tool Launch URL',
      login_url: 'Tool Initiate Login URL',
      jwks_url: 'Tool Keyset URL',
      redirect_uris: 'Registered Redirect URIs',
      deep_link_url: 'Deep Linking Launch URL',
    },
    addresses: { authorization: '{issuer}/api/lti_consumer/v1/launch/' },
    mark: '/api/lti_consumer/',
  },
};

/** Null for a platform of another vendor. */
export const vendorOf = ({ authorization }: Pick<PlatformValues, 'authorization'>): Vendor | null =>
  VENDORS.find((vendor) => authorization.includes(FACTS[vendor].mark)) ?? null;

/** Addresses of the vendor for the fields that are still empty, as far as the others tell them. */
export function completed(vendor: Vendor, values: PlatformValues): Partial<PlatformValues> {
  const { addresses } = FACTS[vendor];
  const issuer = (values.issuer.trim() || (addresses.issuer ?? '')).replace(/(?<!\/)\/+$/, '');
  const known: Readonly<Record<string, string>> = { issuer, clientId: encodeURIComponent(values.clientId.trim()) };
  const filled = Object.entries(addresses).flatMap(([name, pattern]) => {
    const address = pattern.replace(/\{(\w+)\}/g, (slot, of: string) => known[of] || slot);
    return values[name as Named].trim() === '' && !address.includes('{') ? [[name, address] as const] : [];
  });
  return Object.fromEntries(filled);
}
