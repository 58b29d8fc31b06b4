declare module 'virtual:messages' {
  const urls: Readonly<Record<'en' | 'es' | 'ca' | 'eu', string>>;
  export default urls;
}
