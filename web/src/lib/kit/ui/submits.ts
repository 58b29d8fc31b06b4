/** Submit handler of a form, in place of leaving the page. */
export const submits =
  (work: () => unknown) =>
  (event: SubmitEvent): void => {
    event.preventDefault();
    void work();
  };
