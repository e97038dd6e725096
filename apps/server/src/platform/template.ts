/**
 * The route of a path, for metrics and traces. Ids are replaced, otherwise each guild would have its own
 * series; a webhook's token is a secret, and an invite's code lets people in.
 */
export const templateOf = (path: string): string =>
  path
    .replace(/^.*?\/v\d+/, '')
    .replace(/^(\/webhooks\/\d+\/)[^/]+/, '$1:token')
    .replace(/^(\/invites\/)[^/]+/, '$1:code')
    .replace(/\d{5,}/g, ':id');
