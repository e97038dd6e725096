import { PageHead } from '../parts/page-head.tsx';

export const Overview = () => <PageHead title="Overview" />;
