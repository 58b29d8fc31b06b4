import type { JsonObject } from '../../../../src/kernel';
import type { BridgeKeyEntity } from '../../legacy/bridge-key.entity';
import { nameIn, peopleOf, spaceOf } from '../../legacy/bridge.types';
import { type LaunchMessage, messageIn } from '../../messages/launch-claims';
import { RefusedLaunch } from '../../messages/launch.errors';

const CORE = 'https://purl.imsglobal.org/spec/lti/claim/';
const INSTITUTION = 'http://purl.imsglobal.org/vocab/lis/v2/institution/person#';
const CUSTOM = 'custom_';

type Parameters = ReadonlyMap<string, string>;

export interface BridgedMessage extends LaunchMessage {
  /** `user_id` as the platform sent it. */
  readonly userId: string;
}

/**
 * The message of a basic launch, as LTI 1.3 would say it (LTI 1.1 §3, LTI Core 1.3 §5.3).
 * @throws RefusedLaunch
 */
export function messageOf(parameters: Parameters, key: BridgeKeyEntity): BridgedMessage {
  const message = messageIn(claimsOf(parameters, key));
  if (parameters.get('lti_message_type') !== 'basic-lti-launch-request') {
    throw new RefusedLaunch('message_type', 'no basic launch', message.reader);
  }
  if (parameters.get('lti_version') !== 'LTI-1p0') throw new RefusedLaunch('version', 'not LTI-1p0', message.reader);
  const guid = (parameters.get('tool_consumer_instance_guid') ?? '').replaceAll('\0', '').slice(0, 255);
  const { subject: userId } = message.person;
  const person = { ...message.person, subject: nameIn(peopleOf(key), guid, userId) };
  return { ...message, deploymentId: nameIn(spaceOf(key), guid), person, userId };
}

function claimsOf(parameters: Parameters, key: BridgeKeyEntity): JsonObject {
  const text = (name: string): string => parameters.get(name) ?? '';
  return {
    [`${CORE}version`]: '1.3.0',
    [`${CORE}message_type`]: 'LtiResourceLinkRequest',
    [`${CORE}deployment_id`]: key.kind,
    [`${CORE}roles`]: text('roles').split(',').map(roleOf),
    [`${CORE}resource_link`]: { id: text('resource_link_id'), title: text('resource_link_title') },
    [`${CORE}context`]: { id: text('context_id'), title: text('context_title'), label: text('context_label') },
    [`${CORE}custom`]: customOf(parameters, key),
    [`${CORE}launch_presentation`]: {
      locale: text('launch_presentation_locale'),
      return_url: text('launch_presentation_return_url') || text('tool_consumer_instance_url'),
    },
    sub: text('user_id'),
    name: text('lis_person_name_full'),
    given_name: text('lis_person_name_given'),
    family_name: text('lis_person_name_family'),
    email: text('lis_person_contact_email_primary'),
  };
}

/** A key of one assistant leads to it, whatever the link says. */
function customOf(parameters: Parameters, { assistantId }: BridgeKeyEntity): JsonObject {
  if (assistantId !== null) return { assistant: String(assistantId) };
  const custom = [...parameters].filter(([name]) => name.startsWith(CUSTOM));
  return Object.fromEntries(custom.map(([name, value]) => [name.slice(CUSTOM.length), value]));
}

/** `Learner`, `urn:lti:role:ims/lis/Instructor/Lecturer` or `urn:lti:sysrole:ims/lis/SysAdmin` (LTI 1.1 appendix A). */
function roleOf(text: string): string {
  const role = text.trim();
  const [, scope, name] = /^urn:lti:(role|instrole|sysrole):ims\/lis\/([A-Za-z]+)/.exec(role) ?? [];
  if (scope === undefined || name === undefined) return role;
  return scope === 'role' ? name : INSTITUTION + name;
}
