/** What a form does when it is sent, in place of leaving the page. */
export const submits =
  (work: () => unknown) =>
  (event: SubmitEvent): void => {
    event.preventDefault();
    void work();
  };
