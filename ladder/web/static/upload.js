"use strict";
/* Shows how far an upload is sent, and what becomes of it; without this the form works as it is. */
document.addEventListener("DOMContentLoaded", () => {
  const form = document.getElementById("upload");
  const told = document.getElementById("told");
  const sent = document.getElementById("sent");

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const file = form.elements.file.files[0];
    if (file.size > form.dataset.most * 2 ** 20) { told.textContent = `A bot may have ${form.dataset.most} MiB here.`; return; }
    const asked = new URLSearchParams({ file: file.name, name: form.elements.name.value });
    const request = new XMLHttpRequest();
    request.open("POST", `/api/uploads?${asked}`);
    request.upload.addEventListener("progress", ({ loaded, total }) => {
      sent.hidden = false;
      sent.max = total;
      sent.value = loaded;
      told.textContent = `${Math.floor((100 * loaded) / total)} % sent`;
    });
    request.addEventListener("load", () => {
      if (request.status === 202) { location.reload(); return; }
      sent.hidden = true;
      try { told.textContent = JSON.parse(request.responseText).problem; } catch { told.textContent = "It was not taken."; }
    });
    request.addEventListener("error", () => { told.textContent = "The site does not answer."; });
    request.send(file);
  });

  if (document.getElementById("uploads").dataset.live) {
    setTimeout(() => { if (!form.elements.file.value) location.reload(); }, 3000);
  }
});
