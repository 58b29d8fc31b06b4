declare module 'virtual:messages' {
  const urls: Readonly<Record<'en' | 'es' | 'ca' | 'eu', string>>;
  export default urls;
}

declare namespace App {
  interface PageState {
    /** The playground asks its question at once. Never in the address: a link must not spend tokens. */
    asks?: boolean;
  }
}
