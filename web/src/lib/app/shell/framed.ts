/** The page is shown inside a page of a course site. */
export const isFramed = window.self !== window.top;
