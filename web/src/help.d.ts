declare module 'virtual:help' {
  interface HelpPage {
    /** `limits` for a page of the guide, `reference/limits` for one of the reference. */
    readonly slug: string;
    readonly title: string;
    /** The page as HTML, without its title. */
    readonly load: () => Promise<{ readonly default: string }>;
  }
  const pages: readonly HelpPage[];
  export default pages;
}
