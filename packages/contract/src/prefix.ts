/** The version is carried in the path (spec part 9). */
export const apiPrefix = '/api/v1';
