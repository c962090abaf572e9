"use strict";
/* An invitation is /join#TOKEN: what stands behind the # is sent to nobody until the form is. */
function take() {
  const token = location.hash.slice(1);
  if (!token) return;
  history.replaceState(null, "", location.pathname);
  document.getElementById("token").value = token;
  document.getElementById("join").submit();
}
document.addEventListener("DOMContentLoaded", take);
addEventListener("hashchange", take);
