import type { SsoBrowser, Visit } from '../sso-browser';
import type { LtiPlatform } from './lms';
import type { LmsMessage } from './messages';
import { formOf, type PostedForm } from './pages';

/**
 * Follows a message through a browser up to the form that the platform posts to the tool.
 * @throws where the tool refused the login initiation, or the platform the authentication request
 */
export async function presented(browser: SsoBrowser, lms: LtiPlatform, message: LmsMessage = {}): Promise<PostedForm> {
  const login = await browser.visit(lms.begin(message));
  if (login.location === null) throw new Error(`No redirect: ${login.status} ${login.text.slice(0, 500)}`);
  return formOf((await browser.visit(login.location)).text);
}

/** The whole launch: what the tool answers to the platform's post. */
export async function launch(browser: SsoBrowser, lms: LtiPlatform, message: LmsMessage = {}): Promise<Visit> {
  const { action, fields } = await presented(browser, lms, message);
  return browser.submit(action, fields);
}
