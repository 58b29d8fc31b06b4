import type { PageTexts } from './page-texts.types';

export const en: PageTexts = {
  refused: 'The activity could not be opened',
  code: 'Code for support',
  reasons: {
    again: {
      reason: 'This link has been used before, or it has expired.',
      next: 'Go back to your course and open the activity again.',
    },
    setup: {
      reason: 'The course platform and this service do not agree about the settings of the activity.',
      next: 'Tell your teacher or the support of your institution, and give them the code below.',
    },
    unavailable: {
      reason: 'The course platform does not answer at the moment.',
      next: 'Try again in a few minutes. If it goes on, give the code below to the support of your institution.',
    },
    role: {
      reason: 'The course platform did not say whether you are a student or a teacher of this course.',
      next: 'Ask the teacher of the course to check your role, then open the activity again.',
    },
    role_unknown: {
      reason: 'The course platform gives you a role that this service does not know, such as mentor or guest.',
      next: 'Ask the teacher of the course to enrol you as student or teacher, then open the activity again.',
    },
    not_ready: {
      reason: 'No assistant answers here yet.',
      next: 'Tell your teacher that the activity is not ready, then try again later.',
    },
    organization: {
      reason: 'Your institution cannot use this service at the moment.',
      next: 'Ask the support of your institution.',
    },
    disabled: {
      reason: 'Your account has been switched off.',
      next: 'Ask the support of your institution to switch it on again.',
    },
    administrator: {
      reason: "This account is an administrator's. It cannot be opened from a course.",
      next: 'Sign in to this service directly.',
    },
    sign_on_only: {
      reason: 'People of your organization work here only after single sign-on.',
      next: 'Sign in to this service directly, with the account of your institution.',
    },
    lti11_off: {
      reason: 'The course platform opens this activity in an old way (LTI 1.1), which is switched off in this service.',
      next: 'Tell your teacher that the activity cannot be opened, and give the code below.',
    },
    lti11_ended: {
      reason:
        'The course platform opens this activity in an old way (LTI 1.1). The time in which this service accepted it has ended.',
      next: 'Tell your teacher that the activity cannot be opened, and give the code below.',
    },
  },
  instructor: {
    none: {
      reason: 'No assistant has been chosen for this activity.',
      next: 'Edit the activity in your course: select its content, or add the custom parameter assistant with the number of a published assistant.',
    },
    missing: {
      reason: 'The assistant of this activity has been deleted or belongs to another organization.',
      next: 'Edit the activity in your course and choose another assistant.',
    },
    unpublished: {
      reason: 'The assistant of this activity is not published.',
      next: 'Publish the assistant, then open the activity again. Students see that the activity is not ready.',
    },
    lti11_off: {
      reason: 'The course platform opens this activity with LTI 1.1, which is switched off for your organization.',
      next: 'Ask an administrator of your organization to connect the course platform with LTI 1.3, or to accept LTI 1.1 until a date, under Administration › Learning platforms › LTI 1.1.',
    },
    lti11_ended: {
      reason:
        'The course platform opens this activity with LTI 1.1. Your organization accepted it until a date that is over.',
      next: 'Ask an administrator of your organization to connect the course platform with LTI 1.3 under Administration › Learning platforms. Activities and conversations stay.',
    },
  },
  opening: 'Opening the activity …',
  newWindow: {
    reason: 'Your browser keeps no cookies for this service inside the course page.',
    next: 'The activity opens in a new window.',
    button: 'Open in a new window',
  },
  plainHttp:
    'This service has a plain http address, over which browsers keep no cookies inside the page of another site.',
  ready: {
    reason: 'The activity is ready.',
    next: 'It opens in a new window, because your browser keeps no cookies inside the course page.',
    button: 'Open in a new window',
  },
};
