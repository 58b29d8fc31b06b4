import type { HandleClientError } from '@sveltejs/kit';

/** An address without a page is shown as such and is no fault of the UI; everything else is told in the console. */
export const handleError: HandleClientError = ({ error, status }) => {
  if (status !== 404) console.error(error);
};
