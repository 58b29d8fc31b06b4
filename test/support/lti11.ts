import { createHmac, randomUUID } from 'node:crypto';
import OAuth from 'oauth-1.0a';
import type { LtiAnswer, LtiBrowser } from './lms';

export const DOORS = {
  activity: '/lamb/v1/lti/launch',
  assistant: '/lamb/v1/lti_users/lti',
  creator: '/lamb/v1/lti_creator/launch',
} as const;

export interface SignOptions {
  readonly key?: string;
  readonly secret?: string;
  /** Address that the platform signs. */
  readonly address?: string;
  /** Seconds before now at which the form was signed. */
  readonly ago?: number;
  readonly nonce?: string;
}

type Parameters = Readonly<Record<string, string>>;

/** A course platform that speaks LTI 1.1. A library signs for it. */
export class Consumer {
  constructor(
    private readonly url: string,
    readonly key: string,
    readonly secret: string,
  ) {}

  /** A signed launch of a student; an empty parameter is left out. */
  form(door: keyof typeof DOORS, parameters: Parameters = {}, options: SignOptions = {}): URLSearchParams {
    const { key = this.key, secret = this.secret, address = this.url + DOORS[door], ago = 0 } = options;
    const launch = {
      lti_message_type: 'basic-lti-launch-request',
      lti_version: 'LTI-1p0',
      resource_link_id: 'r1',
      resource_link_title: 'Ask',
      context_id: 'c1',
      context_title: 'Biology',
      user_id: '5',
      roles: 'Learner',
      lis_person_name_full: 'Sam Núñez',
      lis_person_contact_email_primary: 'sam@uni.example',
      tool_consumer_instance_guid: 'moodle.uni.example',
      launch_presentation_return_url: 'https://moodle.uni.example/mod/lti/return.php?course=2&id=5',
      ext_submit: 'Press (*) to continue!',
      ...parameters,
    };
    const data = Object.fromEntries(Object.entries(launch).filter(([, value]) => value !== ''));
    const oauth = new OAuth({
      consumer: { key, secret },
      signature_method: 'HMAC-SHA1',
      hash_function: (base, signing) => createHmac('sha1', signing).update(base).digest('base64'),
    });
    oauth.getTimeStamp = () => Math.floor(Date.now() / 1_000) - ago;
    oauth.getNonce = () => options.nonce ?? randomUUID();
    return new URLSearchParams({ ...data, ...toTexts(oauth.authorize({ url: address, method: 'POST', data })) });
  }

  /** The answer to the form, and that of the page behind it. */
  async launch(
    browser: LtiBrowser,
    door: keyof typeof DOORS,
    parameters: Parameters = {},
    options: SignOptions = {},
  ): Promise<LtiAnswer> {
    const answer = await browser.request(DOORS[door], {
      method: 'POST',
      body: this.form(door, parameters, options),
    });
    return answer.location === null ? answer : browser.request(answer.location);
  }
}

const toTexts = (data: object): Parameters =>
  Object.fromEntries(Object.entries(data).map(([name, value]) => [name, String(value)]));
