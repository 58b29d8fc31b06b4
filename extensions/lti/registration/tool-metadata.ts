import type { JsonObject } from '../../../src/kernel';
import type { Addresses } from '../platforms/tool-addresses';

export const TOOL = 'https://purl.imsglobal.org/spec/lti-tool-configuration';
const NRPS = 'https://purl.imsglobal.org/spec/lti-nrps/scope/contextmembership.readonly';
const AGS = 'https://purl.imsglobal.org/spec/lti-ags/scope';
const WANTED: readonly string[] = [NRPS, `${AGS}/lineitem`, `${AGS}/score`];
const CLAIMS = ['iss', 'sub', 'name', 'given_name', 'family_name', 'email', 'locale'];

/** Names of the entry that teachers choose when they add content to a course. */
const ADD = {
  label: 'Add assistants',
  'label#es': 'Añadir asistentes',
  'label#ca': 'Afegir assistents',
  'label#eu': 'Gehitu laguntzaileak',
};

/** Canvas shows a tool only where the tool asks to be shown; others do without names of places. */
const PLACEMENTS = ['link_selection', 'assignment_selection'];

/** This service as a tool that asks to be registered (LTI Dynamic Registration 1.0 §3.4). */
export function toolMetadata(addresses: Addresses, offered: readonly string[]): JsonObject {
  const { launch_url: launch, deep_link_url: deepLink, login_url: login, jwks_url: jwks } = addresses;
  return {
    application_type: 'web',
    response_types: ['id_token'],
    grant_types: ['implicit', 'client_credentials'],
    initiate_login_uri: login,
    redirect_uris: [launch, deepLink],
    client_name: 'Bellwether',
    jwks_uri: jwks,
    token_endpoint_auth_method: 'private_key_jwt',
    scope: WANTED.filter((scope) => offered.includes(scope)).join(' '),
    [TOOL]: {
      // Without a port: Moodle compares host names.
      domain: new URL(launch).hostname,
      description: 'Learning assistants',
      target_link_uri: launch,
      claims: CLAIMS,
      messages: [
        { type: 'LtiResourceLinkRequest' },
        { type: 'LtiDeepLinkingRequest', target_link_uri: deepLink, placements: PLACEMENTS, ...ADD },
      ],
    },
  };
}
