/** A module of its own, because the published file keeps it apart. */
export { default as exactWidth } from 'string-width';
