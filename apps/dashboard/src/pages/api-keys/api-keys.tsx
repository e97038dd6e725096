import { PageHead } from '../../parts/page-head.tsx';

export const ApiKeys = () => <PageHead title="ApiKeys" />;
