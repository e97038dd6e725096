declare module '*.module.css' {
  const classes: Record<string, string>;
  // biome-ignore lint/style/noDefaultExport: bundlers give a style's classes by default
  export default classes;
}
declare module '*.css';
